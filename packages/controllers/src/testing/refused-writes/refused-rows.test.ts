import { expect, test } from "vitest"
import { controllers } from "../../controllers.ts"
import { createControllers } from "../../create-controllers.ts"
import { refusedAccounts } from "./refused-accounts.ts"
import { refusedNodes } from "./refused-nodes.ts"
import { refusedServices } from "./refused-services.ts"
import { refusedVolumes } from "./refused-volumes.ts"
import { refusedWorkloads } from "./refused-workloads.ts"

const rows = [...refusedWorkloads, ...refusedNodes, ...refusedServices, ...refusedAccounts, ...refusedVolumes]

/** It writes to a plugin only: persistent-volume/unsaved.test.ts has its refusals. */
const writeNothing = ["persistentvolume-sweeper-controller"]

test("every controller of the table has rows of writes that are refused for ever", () => {
  const given = {
    select: controllers.map(({ name }) => name),
    settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" },
    needs: { rootCa: "CA", signToken: () => "signed" },
  }
  const names = createControllers(given).map(({ name }) => name)
  expect(names).toHaveLength(35)
  expect([...new Set(rows.map(({ controller }) => controller)), ...writeNothing].sort()).toEqual([...names].sort())
})
