import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..")

/** Says how many modules that call webhooks or evaluate policies are loaded: after a start and a write, and after a write that a webhook decides on. */
const program = `
import { registerHooks } from "node:module"
let loaded = 0
registerHooks({
  load(url, context, next) {
    if (/admission.(webhook.(dispatch|call-webhook)|policy.(mutating|validating)-dispatch)|webhook-client.post-webhook|packages.cel./.test(url)) loaded++
    return next(url, context)
  },
})
const { cluster } = await import("@pilothouse/testing")
const map = (name) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } })
await using made = await cluster()
await made.apply(map("a"))
const before = loaded
const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }]
const hook = { name: "a.b.example.com", clientConfig: { url: "https://127.0.0.1:1" }, sideEffects: "None", admissionReviewVersions: ["v1"] }
await made.apply({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "a" },
  webhooks: [{ ...hook, rules, failurePolicy: "Ignore" }],
})
await made.apply(map("b"))
console.log(JSON.stringify([before, loaded > 0]))
`

test("a cluster without webhooks and policies loads nothing of them", () => {
  const flags = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", "--input-type=module"]
  // The runner of this test marks its child processes as part of it.
  const env = { ...process.env, NODE_OPTIONS: undefined }
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-"], { cwd: root, env, encoding: "utf8", input: program })
  expect({ stdout, stderr }).toEqual({ stdout: "[0,true]\n", stderr: "" })
})
