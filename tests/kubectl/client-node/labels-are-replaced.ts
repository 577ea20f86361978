import assert from "node:assert/strict"
import { CoreV1Api, type KubeConfig, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node"

/** A JSON patch puts other labels in the place of those a namespace was made with. */
export async function labelsAreReplaced(config: KubeConfig): Promise<void> {
  const core = config.makeApiClient(CoreV1Api)
  const name = "client-node-labels"
  await core.createNamespace({ body: { metadata: { name, labels: { before: "yes" } } } })
  const made = await core.readNamespace({ name })
  assert.equal(made.metadata?.labels?.before, "yes")
  const body = [{ op: "replace", path: "/metadata/labels", value: { after: "yes" } }]
  await core.patchNamespace({ name, body }, setHeaderOptions("Content-Type", PatchStrategy.JsonPatch))
  const { metadata } = await core.readNamespace({ name })
  assert.deepEqual(metadata?.labels, { after: "yes", "kubernetes.io/metadata.name": name })
  assert.equal(metadata?.uid, made.metadata?.uid)
}
