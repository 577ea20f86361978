/** "100m", "1Gi": see parseQuantity for what may stand here. */
export type Quantity = string

/** A number, the name of a port, or a percentage such as "25%". */
export type IntOrString = number | string

/** RFC 3339 in UTC to the second: "2026-01-31T12:00:00Z". */
export type Time = string

/** RFC 3339 in UTC with six digits: "2026-01-31T12:00:00.000000Z". */
export type MicroTime = string

/** As Go prints it: "30s", "1m30s". */
export type Duration = string

/**
 * A whole number of 64 bits: a bigint if and only if it is not a safe integer (beyond ±(2^53 - 1)), which is rare. `===`, `<` and template texts work
 * on both. Arithmetic goes through `addInt64` where every digit counts (revisions), and through `Number(…)` or `secondsInMilliseconds` where none does.
 */
export type Int64 = number | bigint
