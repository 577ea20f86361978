import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownerRef, resource } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { deployments } from "@pilothouse/api/apps/v1"
import { configMaps } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { openConnection } from "../client/connection.ts"
import { startEmbeddedCluster } from "../embedded/cluster.ts"
import { explain } from "./explain.ts"

/** A cluster of `up` with these controllers, and the connection that a command has to it. */
async function connected(...controllers: readonly string[]) {
  await using starting = new AsyncDisposableStack()
  const seams = { clock: systemClock, random: seededRandom(7), files: virtualFiles(systemClock), log: silentLog }
  const options = { ...seams, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0, controllers }
  const cluster = starting.use(await startEmbeddedCluster(options))
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-explain-"))
  starting.defer(() => rmSync(directory, { recursive: true }))
  const kubeconfig = join(directory, "kubeconfig")
  writeFileSync(kubeconfig, JSON.stringify(cluster.kubeconfig))
  const connection = starting.use(await openConnection({ kubeconfig }))
  const running = starting.move()
  return { connection, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test("a controller that --controllers leaves out is not said to be about to do anything", async () => {
  await using started = await connected("*", "-deployment")
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } }
  const spec = { selector: { matchLabels: { app: "web" } }, template }
  const metadata = { name: "web", namespace: "default" }
  await started.connection.client.create(deployments, { apiVersion: "apps/v1", kind: "Deployment", metadata, spec })
  const text = await explain(started.connection, ["deployment/web"])
  expect(text).toMatch(/Now\n {2}deployment\S*: does not run here: --controllers of this cluster leaves it out\n/)
  expect(text).toContain("What would be done (if deployment-controller ran here: observed and decided now, and nothing written)")
  expect(text).toMatch(/^deployment.apps\/web in default: deployment\S* does not run here: --controllers of this cluster leaves it out\n/)
  expect(text).not.toContain("would do what follows")
  await expect(explain(started.connection, ["deployment/webb"])).rejects.toThrow('"webb" not found; did you mean "web"?')
})

test("the controller that made an object without ever reading it is named", async () => {
  await using started = await connected("root-ca-certificate-publisher")
  const text = () => explain(started.connection, ["configmap/kube-root-ca.crt"], { history: true }).catch(String)
  await expect
    .poll(text)
    .toMatch(/root-ca-certificate-publisher\S*, because [^\n]+\n +create ConfigMap default\/kube-root-ca\.crt, because /)
})

test("explaining a CRD shows whether its kind is served, and of a custom object what it owns", async () => {
  await using started = await connected("garbage-collector-controller")
  const names = { plural: "widgets", singular: "widget", kind: "Widget" }
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
  const metadata = { name: "widgets.example.com" }
  const spec = { group: "example.com", names, scope: "Namespaced" as const, versions }
  const apiVersion = "apiextensions.k8s.io/v1"
  await started.connection.client.create(customResourceDefinitions, { apiVersion, kind: "CustomResourceDefinition", metadata, spec })
  const explained = (what: string) => explain(started.connection, [what]).catch(String)
  await expect.poll(() => explained("crd/widgets.example.com")).toContain("Established is True, InitialNamesAccepted")
  const widgets = resource({ group: "example.com", version: "v1", kind: "Widget" })
  const owner = await started.connection.client.create(widgets, {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "one", namespace: "default" },
  })
  const owned = { name: "part", namespace: "default", ownerReferences: [ownerRef(owner, widgets)] }
  await started.connection.client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: owned })
  await expect.poll(() => explained("widget/one")).toMatch(/Its configmaps\n +NAME +DATA +AGE\n +part +0 /)
})
