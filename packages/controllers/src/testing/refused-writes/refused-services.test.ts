import { test } from "vitest"
import { refuseForEver } from "./refuse-for-ever.ts"
import { refusedAccounts } from "./refused-accounts.ts"
import { refusedCertificates } from "./refused-certificates.ts"
import { refusedNodes } from "./refused-nodes.ts"
import { refusedServices } from "./refused-services.ts"

const rows = [...refusedNodes, ...refusedServices, ...refusedAccounts, ...refusedCertificates]

test.each(rows.map((row) => [`${row.controller}: ${row.write}`, row] as const))("%s, refused for ever", async (_name, row) => {
  await refuseForEver(row)
})
