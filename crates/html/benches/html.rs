//! Throughput of sanitising and text extraction.
fn main() {
    divan::main();
}
