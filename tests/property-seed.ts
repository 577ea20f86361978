// Loaded before every test file: property tests draw from one seed, so that a run is the same everywhere.
// PILOTHOUSE_SEED=$RANDOM npm test looks elsewhere; what it finds prints its seed and becomes a named test.
import fc from "fast-check"

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PILOTHOUSE_SEED ?? 1) })
