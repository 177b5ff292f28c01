//! When to poll next: rates, floors, back-off, reasons
