//! The simulated web: feeds that post, move, fail, lie and attack
