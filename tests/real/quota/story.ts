import type { ApiRequest } from "../api-client.ts"

/** One request that both servers are sent, each after the caches of the real one have seen the one before. */
export interface Step extends ApiRequest {
  readonly name: string
}

export const core = "/api/v1/namespaces/default"
const devices = "/apis/resource.k8s.io/v1"
const claims = `${devices}/namespaces/default/resourceclaims`
const classes = `${devices}/deviceclasses`

/** Stands in a body for the uid that a server has given to the pod of this name. */
export const uidOf = (pod: string): string => `<uid of ${pod}>`

const implicit = (name: string) => `requests.deviceclass.resource.kubernetes.io/${name}`

/** By the quota's name. */
export const quotas: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {
    "count/resourceclaims.resource.k8s.io": "50",
    "gpu.deviceclass.resource.k8s.io/devices": "50",
    "requests.example.com/gpu": "9",
    [implicit("gpu")]: "15",
    [implicit("nic")]: "3",
    [implicit("ghost")]: "3",
  },
  ghosts: { [implicit("ghost")]: "0" },
  nics: { [implicit("nic")]: "2" },
}

const post = (name: string, path: string, body: unknown): Step => ({ name, verb: "POST", path, body })
const merge = (name: string, path: string, body: unknown): Step => {
  return { name, verb: "PATCH", path, contentType: "application/merge-patch+json", body }
}

const deviceClass = (name: string, extendedResourceName?: string) =>
  post(`a class ${name} for ${extendedResourceName ?? "nothing"}`, classes, { metadata: { name }, spec: { extendedResourceName } })

interface Asked {
  readonly of?: string
  readonly count?: number
  readonly metadata?: object
}

function claim(why: string, name: string, { of = "gpu", count, metadata }: Asked = {}): Step {
  const exactly = { deviceClassName: of, ...(count === undefined ? { allocationMode: "All" } : { count }) }
  return post(why, claims, { metadata: { name, ...metadata }, spec: { devices: { requests: [{ name: "r", exactly }] } } })
}

const annotations = { "resource.kubernetes.io/extended-resource-claim": "true" }
const madeFor = (name: string, uid = uidOf(name)) => ({
  annotations,
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }],
})

const pod = (name: string, amounts: Readonly<Record<string, string>>) =>
  post(`a pod that asks for ${Object.keys(amounts)}`, `${core}/pods`, {
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: amounts, limits: amounts } }] },
  })

const status = (why: string, name: string, to: object) => merge(why, `${core}/pods/${name}/status`, { status: to })

export const story: readonly Step[] = [
  deviceClass("bad", "deviceclass.resource.kubernetes.io/gpu"),
  deviceClass("bad", "gpu"),
  deviceClass("bad", ""),
  deviceClass("bad", "requests.example.com/gpu"),
  deviceClass("bad", `${"long.".repeat(49)}com/gpu`),
  deviceClass("gpu", "example.com/gpu"),
  deviceClass("nic"),
  claim("devices of a class that stands for a resource", "a", { count: 2 }),
  claim("all the devices of it", "all"),
  claim("too many of it, under both names", "many", { count: 14 }),
  claim("too many under the name of the resource alone", "some", { count: 8 }),
  claim("devices of a class that stands for nothing", "n", { of: "nic", count: 2 }),
  claim("too many of it", "n2", { of: "nic", count: 1 }),
  claim("devices of a class that does not exist", "g", { of: "ghost", count: 2 }),
  claim("too many of those", "g2", { of: "ghost", count: 2 }),
  pod("p", { "example.com/gpu": "2" }),
  pod("i", { "deviceclass.resource.kubernetes.io/gpu": "1" }),
  pod("greedy", { "example.com/gpu": "6" }),
  claim("the claim of a pod, which is charged already", "p-1", { count: 3, metadata: madeFor("p") }),
  claim("a second claim of the same pod", "p-2", { count: 1, metadata: madeFor("p") }),
  claim("the claim of a pod by the name of the class", "i-1", { count: 1, metadata: madeFor("i") }),
  claim("a claim of a pod that has been replaced", "old", { count: 1, metadata: madeFor("p", "11111111-2222-4333-8444-555555555555") }),
  merge("a claim that is no longer of its pod", `${claims}/p-1`, { metadata: { annotations: null } }),
  pod("s", { "example.com/gpu": "1" }),
  status("a pod that says which claim is its own", "s", {
    extendedResourceClaimStatus: {
      resourceClaimName: "s-1",
      requestMappings: [{ containerName: "c", resourceName: "example.com/gpu", requestName: "r" }],
    },
  }),
  claim("another claim of that pod", "s-0", { count: 1, metadata: madeFor("s") }),
  claim("its own claim", "s-1", { count: 1, metadata: madeFor("s") }),
  status("a pod that is over", "i", { phase: "Succeeded" }),
  claim("a claim of that pod", "i-2", { count: 1, metadata: madeFor("i") }),
  merge("the class stands for something else", `${classes}/gpu`, { spec: { extendedResourceName: "example.com/other" } }),
  claim("devices of it then", "b", { count: 1 }),
  merge("the class stands for nothing that can be asked for", `${classes}/gpu`, { spec: { extendedResourceName: "kubernetes.io/gpu" } }),
  { name: "the other class goes", verb: "DELETE", path: `${classes}/nic` },
  claim("devices of a class that is gone", "n3", { of: "nic", count: 1 }),
  merge("the class stands for what it stood for", `${classes}/gpu`, { spec: { extendedResourceName: "example.com/gpu" } }),
]
