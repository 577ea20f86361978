import { expect, test } from "vitest"
import { serveClusters } from "./serve-clusters.ts"

const plain = { bindAddress: "127.0.0.1", port: 0, debugPort: 0, syncTimeout: 30_000, acrossNetworks: "all" } as const

test.each(["0.0.0.0", "::", "192.0.2.1", "xds.example"])(
  "in plain at %s: a wrong flag, told before anything is read",
  async (bindAddress) => {
    await expect(serveClusters({ ...plain, bindAddress, kubeconfig: ["/nowhere/kubeconfig"] })).rejects.toMatchObject({
      code: "USAGE",
      message: `expected --tls-cert-file and --tls-private-key-file with --bind-address ${bindAddress}, found neither: only loopback may be plain`,
    })
  },
)

test("a kubeconfig that is not there is a wrong flag", async () => {
  await expect(serveClusters({ ...plain, kubeconfig: ["/nowhere/kubeconfig"] })).rejects.toMatchObject({
    code: "USAGE",
    message: "expected a kubeconfig at /nowhere/kubeconfig, found no file; check the path",
  })
})

test("a file of mesh networks that is not there is reported at the start, before a cluster is asked for anything", async () => {
  const flags = { ...plain, kubeconfig: ["/nowhere/kubeconfig"] }
  await expect(serveClusters({ ...flags, meshNetworksFile: "/nowhere/mesh.yaml" })).rejects.toMatchObject({
    code: "USAGE",
    message: "expected a file at /nowhere/mesh.yaml for --mesh-networks-file, found none; mend the path",
  })
})

test("mesh networks from a file and from a ConfigMap at once: a wrong flag", async () => {
  const both = { meshNetworksFile: "/mesh.yaml", meshNetworksConfigMap: "istio-system/istio" }
  await expect(serveClusters({ ...plain, ...both })).rejects.toMatchObject({
    code: "USAGE",
    message: "expected --mesh-networks-file or --mesh-networks-config-map, found both; leave one out",
  })
})

test.each([
  [["a"], "a"],
  [["a", "a"], "a, a"],
  [["a", "b", "c"], "a, b, c"],
])("two clusters with the names %j: a wrong flag", async (clusterId, found) => {
  await expect(serveClusters({ ...plain, kubeconfig: ["/one", "/two"], clusterId })).rejects.toMatchObject({
    code: "USAGE",
    message: `expected 2 different names for --cluster-id, one for each cluster, found ${found}`,
  })
})
