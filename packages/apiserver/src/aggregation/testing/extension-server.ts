import { type DialedServer, type HeaderMap, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { objectIn, testServer } from "../../testing/server.ts"

/** Of the extension server of these tests. */
export const prefix = "/apis/wardle.example.com/v1alpha1"
export const apiServicesPath = "/apis/apiregistration.k8s.io/v1/apiservices"
export const apiServicePath = `${apiServicesPath}/v1alpha1.wardle.example.com`

export type Answer = (request: TransportRequest, to: DialedServer) => TransportResponse | Promise<TransportResponse>

const flunders = {
  resource: "flunders",
  responseKind: { group: "wardle.example.com", version: "v1alpha1", kind: "Flunder" },
  scope: "Namespaced",
  singularResource: "flunder",
  verbs: ["create", "get", "list", "watch"],
  shortNames: ["fl"],
}

const aggregated = {
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [{ metadata: { name: "wardle.example.com" }, versions: [{ version: "v1alpha1", resources: [flunders], freshness: "Current" }] }],
}

const resourceList = {
  kind: "APIResourceList",
  groupVersion: "wardle.example.com/v1alpha1",
  resources: [{ name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs: ["get"] }],
}

export function answered(value: unknown, headers: HeaderMap = { "content-type": "application/json" }, status = 200): TransportResponse {
  return { status, headers, body: valueBody(value) }
}

/** A server that works: it says what it serves, and answers everything else with what it was sent. */
export const working: Answer = ({ path, verb, headers }) => {
  if (path === "/apis")
    return answered(aggregated, { "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" })
  if (path === prefix) return answered(resourceList)
  return answered({ kind: "Echo", verb, path, headers })
}

export function apiService(spec: object = {}, name = "v1alpha1.wardle.example.com"): object {
  const [version = "", ...group] = name.split(".")
  const service = { name: "api", namespace: "wardle" }
  const own = { group: group.join("."), version, groupPriorityMinimum: 2000, versionPriority: 15, service, caBundle: "Y2E=", ...spec }
  return { metadata: { name }, spec: own }
}

const namespace = { metadata: { name: "wardle" } }
export const service = { metadata: { name: "api" }, spec: { ports: [{ name: "https", port: 443, targetPort: 8443 }] } }

export function endpointSlice(
  addresses: readonly string[] = ["10.0.0.7"],
  ports: readonly object[] = [{ name: "https", port: 8443 }],
): object {
  const endpoints = addresses.map((address) => ({ addresses: [address] }))
  return { metadata: { name: "api", labels: { "kubernetes.io/service-name": "api" } }, addressType: "IPv4", endpoints, ports }
}

/** A server with a Service and endpoints in the namespace wardle; what is dialed answers by `extension.answer`, which may be changed. */
export async function aggregatingServer(options: Parameters<typeof testServer>[1] = {}) {
  const extension: { answer: Answer; readonly requests: (TransportRequest & { readonly to: DialedServer })[] } = {
    answer: working,
    requests: [],
  }
  const api = testServer("in process", {
    dial: (to) => async (request) => {
      extension.requests.push({ ...request, to })
      return extension.answer(request, to)
    },
    ...options,
  })
  objectIn(await api.post("/api/v1/namespaces", namespace), 201)
  const condition = async (path = apiServicePath) => {
    const { status } = objectIn(await api.get(path)) as { readonly status?: { readonly conditions?: readonly object[] } }
    return status?.conditions?.[0]
  }
  /** Creates the Service, its endpoints and the APIService, and waits for the checks. */
  const install = async (spec: object = {}) => {
    objectIn(await api.post("/api/v1/namespaces/wardle/services", service), 201)
    objectIn(await api.post("/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices", endpointSlice()), 201)
    objectIn(await api.post(apiServicesPath, apiService(spec)), 201)
    await api.clock.settle()
  }
  return { api, extension, condition, install }
}
