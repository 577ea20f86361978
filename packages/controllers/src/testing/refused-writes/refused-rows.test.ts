import { expect, test } from "vitest"
import { controllers } from "../../controllers.ts"
import { createControllers } from "../../create-controllers.ts"
import { refusedAccounts } from "./refused-accounts.ts"
import { refusedCertificates } from "./refused-certificates.ts"
import { refusedDevices } from "./refused-devices.ts"
import { refusedNodes } from "./refused-nodes.ts"
import { refusedOffByDefault } from "./refused-off-by-default.ts"
import { refusedServices } from "./refused-services.ts"
import { refusedVolumes } from "./refused-volumes.ts"
import { refusedWorkloads } from "./refused-workloads.ts"

const rows = [
  ...refusedWorkloads,
  ...refusedNodes,
  ...refusedServices,
  ...refusedAccounts,
  ...refusedCertificates,
  ...refusedVolumes,
  ...refusedDevices,
  ...refusedOffByDefault,
]

/** Controllers whose refusals other tests have. */
const elsewhere = [
  // It writes to a plugin only: persistent-volume/unsaved.test.ts.
  "persistentvolume-sweeper-controller",
  // It writes one object of the whole cluster: bootstrap-signer/controller.test.ts.
  "bootstrap-signer-controller",
  // So does it: cluster-trust-bundle-publisher/controller.test.ts.
  "kube-apiserver-serving-clustertrustbundle-publisher-controller",
  // It writes nothing but events.
  "selinux-warning-controller",
]

test("every controller of the table has rows of writes that are refused for ever", () => {
  const given = {
    select: controllers.map(({ name }) => name),
    settings: { "allocate-node-cidrs": true, "cluster-cidr": "10.244.0.0/16" },
    needs: { rootCa: "CA", signToken: () => "signed", signers: {} },
  }
  const names = createControllers(given).map(({ name }) => name)
  expect(names).toHaveLength(54)
  expect([...new Set(rows.map(({ controller }) => controller)), ...elsewhere].sort()).toEqual([...names].sort())
})
