import { test } from "vitest"
import { refuseForEver } from "./refuse-for-ever.ts"
import { refusedWorkloads } from "./refused-workloads.ts"

test.each(refusedWorkloads.map((row) => [`${row.controller}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
