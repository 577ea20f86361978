import { test } from "vitest"
import { refuseForEver } from "./test-refuse-for-ever.ts"
import { refusedAccounts } from "./test-refused-accounts.ts"
import { refusedNodes } from "./test-refused-nodes.ts"
import { refusedServices } from "./test-refused-services.ts"

const rows = [...refusedNodes, ...refusedServices, ...refusedAccounts]

test.each(rows.map((row) => [`${row.loop}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
