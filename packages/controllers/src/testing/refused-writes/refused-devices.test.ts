import { test } from "vitest"
import { refuseForEver } from "./refuse-for-ever.ts"
import { refusedDevices } from "./refused-devices.ts"

test.each(refusedDevices.map((row) => [`${row.controller}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
