import { test } from "vitest"
import { refuseForEver } from "./refuse-for-ever.ts"
import { refusedAccounts } from "./refused-accounts.ts"
import { refusedNodes } from "./refused-nodes.ts"
import { refusedServices } from "./refused-services.ts"

const rows = [...refusedNodes, ...refusedServices, ...refusedAccounts]

test.each(rows.map((row) => [`${row.controller}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
