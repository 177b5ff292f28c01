//! Foreign HTML in; safe HTML, plain text, the main article, feed links out
