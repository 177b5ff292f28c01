//! Pages and APIs for people
