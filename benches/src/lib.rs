//! Figures: latency, capacity, accuracy. Each binary under `bin/` prints its own table.
