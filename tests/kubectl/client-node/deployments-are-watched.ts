import assert from "node:assert/strict"
import { AppsV1Api, type KubeConfig } from "@kubernetes/client-node"
import { readyDeployments } from "../../../examples/own-client/ready-deployments.ts"
import { soon } from "./soon.ts"

/** The example of a script of one's own: it sees a Deployment become Ready. */
export async function deploymentsAreWatched(config: KubeConfig): Promise<void> {
  const labels = { app: "client-node-web" }
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } }
  const body = { metadata: { name: "client-node-web" }, spec: { replicas: 2, selector: { matchLabels: labels }, template } }
  await config.makeApiClient(AppsV1Api).createNamespacedDeployment({ namespace: "default", body })
  const told = async (): Promise<readonly string[]> => {
    const lines = await readyDeployments(config)
    return lines.includes("default/client-node-web 2/2") ? lines : told()
  }
  assert.ok((await soon(30_000, "both pods are ready", told())).includes("default/client-node-web 2/2"))
}
