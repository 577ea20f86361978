import { test } from "vitest"
import { refuseForEver } from "./refuse-for-ever.ts"
import { refusedVolumes } from "./refused-volumes.ts"

test.each(refusedVolumes.map((row) => [`${row.controller}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
