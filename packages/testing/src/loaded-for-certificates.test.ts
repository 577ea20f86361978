import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")

/** Says how many modules that read trust bundles and pods' certificate requests are loaded: after a start with a pod, and after a bundle that is refused. */
const program = `
import { registerHooks } from "node:module"
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/certificates.(trust-bundle|pod-certificate[^/]*|public-key).ts|trust-bundle-attest|pod-certificate-signing-check/.test(url)) loaded++
    return next(url, context)
  },
})
const { cluster } = await import("@pilothouse/testing")
await using made = await cluster({ enabledVersions: ["certificates.k8s.io/v1beta1"] })
const spec = { containers: [{ name: "a", image: "a" }] }
await made.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "default" }, spec })
await made.settled()
const before = loaded
const bundle = { apiVersion: "certificates.k8s.io/v1beta1", kind: "ClusterTrustBundle", metadata: { name: "a" }, spec: { trustBundle: "" } }
await made.apply(bundle).catch(() => {})
console.log(JSON.stringify([before, loaded > 0]))
`

test("a server that is asked for no trust bundle and no pod's certificate loads nothing that reads them", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: "[0,true]\n", stderr: "" })
})
