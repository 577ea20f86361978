import { expect, test } from "vitest"
import { serveClusters } from "./serve-clusters.ts"

test("a file of mesh networks that is not there is told at the start, before anything is asked of a cluster", async () => {
  const flags = { bindAddress: "127.0.0.1", port: 0, acrossNetworks: "all", kubeconfig: ["/nowhere/kubeconfig"] } as const
  await expect(serveClusters({ ...flags, meshNetworksFile: "/nowhere/mesh.yaml" })).rejects.toMatchObject({
    code: "FILE",
    message: "expected a file at /nowhere/mesh.yaml for --mesh-networks-file, found none; mend the path",
  })
})
