import { readFileSync } from "node:fs"
import { pods, services } from "@pilothouse/api/core/v1"
import { kuryr } from "@pilothouse/openstack"
import { createManager } from "@pilothouse/runtime"
import { parseManifests } from "@pilothouse/runtime/manifests"
import { silentLog, type Transport, type TransportRequest } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { settingsOf } from "../run/settings.ts"
import { cloudIn } from "./testing/cloud.ts"

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

function shipped(file: string) {
  const text = readFileSync(new URL(`../../../../deploy/openstack/${file}`, import.meta.url), "utf8")
  return parseManifests(text, file).map(({ object }) => object)
}

/** "patch /services/status": verb, group and resource. */
function granted(): ReadonlySet<string> {
  const roles = shipped("rbac.yaml").filter(({ kind }) => kind === "ClusterRole") as unknown as readonly {
    readonly rules: readonly Rule[]
  }[]
  const words = ({ apiGroups, resources, verbs }: Rule) =>
    verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`)))
  return new Set(roles.flatMap(({ rules }) => rules).flatMap(words))
}

/** What an API server would ask its roles about a request. */
function asked({ verb, path, query }: TransportRequest): string {
  const [root = "", ...rest] = path.split("/").slice(1)
  const [group, words] = root === "api" ? ["", rest.slice(1)] : [rest[0] ?? "", rest.slice(2)]
  const [resource = "", name, sub] = words[0] === "namespaces" && words.length > 2 ? words.slice(2) : words
  const reading = name !== undefined ? "get" : String(query.watch) === "true" ? "watch" : "list"
  const verbs: Readonly<Record<string, string>> = { GET: reading, POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }
  return `${verbs[verb]} ${group}/${sub === undefined ? resource : `${resource}/${sub}`}`
}

/** All that the handlers ask an API server for while a pod, whose first port is refused, and a Service of type LoadBalancer come and go. */
async function askedByHandlers(): Promise<ReadonlySet<string>> {
  const all = new Set<string>()
  await using run = await cluster({ nodes: 0, controllers: [] })
  const { clock, random } = run
  const there = cloudIn(clock)
  const transport: Transport = (request) => {
    all.add(asked(request))
    return run.transport(request)
  }
  let refused = 0
  there.embedded.fault = ({ verb, path }) => (verb === "POST" && path === "/v2.0/ports" && refused++ === 0 ? { status: 503 } : undefined)
  const { controllers } = kuryr({ ...there, clock, random, cluster: "shipped" })
  const stop = new AbortController()
  const running = createManager({ controllers, clock, random, transport, log: silentLog, grace: 100 }).run(stop.signal)
  await run.apply({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { nodeName: "node-1", containers: [{ name: "web", image: "web" }] },
  })
  await run.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default" },
    spec: { type: "LoadBalancer", ports: [{ port: 80, protocol: "TCP" }] },
  })
  await run.apply({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web", namespace: "default" },
    subsets: [{ addresses: [{ ip: "10.10.0.9" }], ports: [{ port: 80, protocol: "TCP" }] }],
  })
  await run.until(async () => ((await run.client.get(services, "default/web")).status?.loadBalancer?.ingress ?? []).length > 0)
  await run.client.delete(services, "default/web")
  await run.client.delete(pods, "default/web", { gracePeriodSeconds: 0 })
  await run.until(async () => there.embedded.neutron.floatingIps.size === 0)
  stop.abort()
  // What has to end, ends in virtual time.
  await Promise.all([running, run.advance("1s")])
  return all
}

test("the role has what the handlers ask for, and changes of nothing else", async () => {
  const [may, wanted] = [granted(), await askedByHandlers()]
  expect([...wanted].filter((words) => !may.has(words))).toEqual([])
  const unused = [...may].filter((words) => words.startsWith("patch ") && !words.includes("events") && !wanted.has(words))
  expect(unused).toEqual([])
})

test("the Deployment starts the handlers with flags that exist, on the port and with the account that are shipped", () => {
  const [deployment] = shipped("deployment.yaml") as unknown as readonly {
    readonly spec: {
      readonly template: {
        readonly spec: {
          readonly serviceAccountName: string
          readonly containers: readonly [
            { readonly args: readonly string[]; readonly ports: readonly [{ readonly containerPort: number }] },
          ]
        }
      }
    }
  }[]
  const { serviceAccountName, containers } = deployment!.spec.template.spec
  const [command, ...flags] = containers[0].args
  const given = flags.map((flag) => flag.replace(/^--/, "").split(/=(.*)/s)).map(([name = "", value = "true"]) => [name, value] as const)
  const { own } = settingsOf({}, Object.fromEntries(given))
  expect([command, own.openstack, own["secure-port"]]).toEqual(["run", true, containers[0].ports[0].containerPort])
  const accounts = shipped("rbac.yaml").filter(({ kind }) => kind === "ServiceAccount")
  expect(accounts.map(({ metadata }) => metadata.name)).toEqual([serviceAccountName])
})
