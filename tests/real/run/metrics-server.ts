// metrics.k8s.io of the simulated pods, behind a real APIService: the API server's aggregator asks us as it would ask metrics-server.
import { type Certificates, serveHttps } from "@pilothouse/apiserver"
import { metricsApis } from "@pilothouse/nodes"
import type { Client } from "@pilothouse/runtime"
import { silentLog, type Transport, valueBody } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { ApiClient } from "../api-client.ts"

const group = "metrics.k8s.io"
const version = "v1beta1"

export async function startMetricsServer(
  admin: ApiClient,
  client: Client,
  certificates: Pick<Certificates, "server" | "ca">,
): Promise<AsyncDisposable> {
  const served = await serveHttps({
    transportFor: () => metricsTransport(client),
    host: "127.0.0.1",
    port: 0,
    certificates,
    clock: systemClock,
    random: systemRandom(),
    log: silentLog,
  })
  await using starting = new AsyncDisposableStack()
  starting.defer(() => served.close(0))
  await register(admin, served.port)
  return starting.move()
}

function metricsTransport(client: Client): Transport {
  const api = metricsApis({ clock: systemClock, client: () => client }).find(({ prefix }) => prefix === `/apis/${group}/${version}`)!
  const resources = api.resources.map(({ plural: name, kind, namespaced, verbs }) => ({ name, singularName: "", namespaced, kind, verbs }))
  const list = { kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources }
  return async (request) => {
    if (request.path === api.prefix) return { status: 200, headers: { "content-type": "application/json" }, body: valueBody(list) }
    if (request.path.startsWith(`${api.prefix}/`)) return api.transport(request)
    return { status: 404, headers: { "content-type": "text/plain" }, body: valueBody({ kind: "Status", apiVersion: "v1", code: 404 }) }
  }
}

/** A Service without addresses of its own leads the aggregator to this machine. */
async function register(admin: ApiClient, port: number): Promise<void> {
  const name = "metrics-server"
  const namespace = "kube-system"
  const spec = { type: "ExternalName", externalName: "localhost", ports: [{ port }] }
  await admin.object({ verb: "POST", path: `/api/v1/namespaces/${namespace}/services`, body: { metadata: { name }, spec } })
  const service = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: `${version}.${group}` } }
  const behind = {
    group,
    version,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service: { name, namespace, port },
  }
  await admin.object({ verb: "POST", path: "/apis/apiregistration.k8s.io/v1/apiservices", body: { ...service, spec: behind } })
}
