import { bodyRows } from "./body-rows.ts"
import { connectionRows } from "./connection-rows.ts"
import type { Row } from "./row.ts"
import { timeRows } from "./time-rows.ts"

/** All of them, in the order that they are tried in. */
export const rows: readonly Row[] = [...timeRows, ...bodyRows, ...connectionRows]
