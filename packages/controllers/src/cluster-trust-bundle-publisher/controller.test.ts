import { forbidden } from "@pilothouse/api"
import { type ClusterTrustBundle, clusterTrustBundles } from "@pilothouse/api/certificates/v1beta1"
import { noNames } from "@pilothouse/api/x509"
import { memoryMetrics, silentLog } from "@pilothouse/seams"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { requestKey, testAuthority } from "../certificates/testing/requests.ts"
import { refusing } from "../testing/layers.ts"
import { bundleName, decide, signerName } from "./controller.ts"

const name = "kube-apiserver-serving-clustertrustbundle-publisher-controller"
const authority = (commonName: string) =>
  testAuthority(Date.UTC(2050, 0, 1)).sign({
    subject: { commonName, organizations: [] },
    names: noNames,
    publicKey: requestKey.publicKey.export({ type: "spki", format: "der" }),
    usages: [],
    notBefore: 0,
    notAfter: Date.UTC(2050, 0, 1),
    serialNumber: Uint8Array.of(1),
    isAuthority: true,
  })
const [rootCa, otherCa] = [authority("ca"), authority("other")]
const own = bundleName(rootCa)
const prefix = "kubernetes.io:kube-apiserver-serving:"

function bundle(name: string, trustBundle = rootCa): ClusterTrustBundle {
  const spec = { trustBundle, ...(name.startsWith(prefix) && { signerName }) }
  return { apiVersion: "certificates.k8s.io/v1beta1", kind: "ClusterTrustBundle", metadata: { name }, spec }
}

test("the name of the bundle is the signer's with a hash of the CA", () => {
  expect(own).toMatch(/^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/)
  expect(bundleName("CA")).toBe(`${prefix}4b650e5c4785025dee7bd65e`)
})

test.each<[what: string, bundles: readonly ClusterTrustBundle[], expected: readonly string[]]>([
  ["no bundles exist", [], [`create ${own}`]],
  ["the bundle has another content", [bundle(own, otherCa)], [`update ${own}`]],
  ["the signer has two bundles", [bundle(`${prefix}a`), bundle(own)], [`delete ${prefix}a`]],
  [
    "the signer has two bundles, and the right one another content",
    [bundle(`${prefix}a`), bundle(own, otherCa)],
    [`update ${own}`, `delete ${prefix}a`],
  ],
  ["another bundle of the signer exists", [bundle(`${prefix}a`)], [`create ${own}`, `delete ${prefix}a`]],
  ["all is well", [bundle(own)], []],
])("%s", (_what, bundles, expected) => {
  const operations = decide(bundles, rootCa).steps.flatMap((step) => step.operations)
  const names = operations.map((operation) => `${operation.do} ${"object" in operation ? operation.object.metadata.name : ""}`)
  expect(names).toEqual(expected)
})

test("others are deleted only when the bundle of the CA is there", () => {
  expect(decide([bundle(`${prefix}a`)], rootCa).steps.map(({ operations }) => operations.map(({ do: verb }) => verb))).toEqual([
    ["create"],
    ["delete"],
  ])
})

const only = { nodes: 0, controllers: [name], enabledVersions: ["certificates.k8s.io/v1beta1"], needs: { rootCa } }

async function names(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(clusterTrustBundles)).map(({ metadata }) => metadata.name)
}

test("the CA is published, restored, and the signer's one bundle; bundles of others stay", async () => {
  const metrics = memoryMetrics()
  await using running = await cluster({ ...only, rbac: true, needs: { rootCa, metrics } })
  await running.settled()
  expect(await names(running)).toEqual([own])
  await running.apply([bundle(`${prefix}old`, otherCa), bundle("mine", otherCa)])
  await running.client.patch(clusterTrustBundles, own, { spec: { trustBundle: otherCa } })
  await running.settled()
  expect(await names(running)).toEqual([own, "mine"])
  expect((await running.client.get(clusterTrustBundles, own)).spec.trustBundle).toBe(rootCa)
  await running.client.delete(clusterTrustBundles, own)
  await running.settled()
  expect(await names(running)).toEqual([own, "mine"])
  expect(metrics.text()).toMatch(/clustertrustbundle_publisher_sync_total\{code="200"\} [1-9]/)
})

test("a refused write is tried again", async () => {
  let refused = 0
  const layer = refusing(({ verb, path }) => {
    if (verb !== "POST" || !path.endsWith("/clustertrustbundles") || refused >= 5) return undefined
    refused++
    return forbidden(clusterTrustBundles, own, "not now")
  })
  await using running = await cluster({ ...only, layer, log: silentLog })
  await running.advance("1m")
  expect(refused).toBe(5)
  expect(await names(running)).toEqual([own])
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.advance("10s")
        await running.apply(bundle(`${prefix}old`, otherCa))
        await running.advance("30s")
      },
    },
    { sample: 6, seed: 3, writers: ["kube-apiserver-serving-clustertrustbundle-publisher-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
