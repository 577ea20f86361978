import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { openConnection } from "../../client/connection.ts"
import { explain } from "../../commands/explain.ts"
import { startEmbeddedCluster } from "../../embedded/cluster.ts"
import { trafficOf } from "./service-traffic.ts"

const handlers = ["vif", "lbaasspec", "lb"]
const specified = { "openstack.org/kuryr-lbaas-spec": "{}" }
const state = (balancer: object | null) =>
  JSON.stringify({
    "versioned_object.data": {
      loadbalancer: balancer && {
        "versioned_object.data": balancer,
        "versioned_object.name": "LBaaSLoadBalancer",
        "versioned_object.namespace": "kuryr_kubernetes",
        "versioned_object.version": "1.0",
      },
      listeners: [],
      pools: [],
      members: [],
    },
    "versioned_object.name": "LBaaSState",
    "versioned_object.namespace": "kuryr_kubernetes",
    "versioned_object.version": "1.0",
  })
const made = state({ id: "balancer-1", project_id: "p", name: "default/web", ip: "10.96.0.7", subnet_id: "s" })

interface Asked {
  readonly annotations?: Record<string, string>
  readonly spec?: object
  readonly status?: object
  /** Of the Endpoints of that name, where there are any. */
  readonly state?: string
  readonly controllers?: readonly string[]
}

async function asked({ annotations, spec, status, state: text, controllers }: Asked): Promise<string> {
  await using running = await cluster({ controllers: [] })
  const metadata = { name: "web", namespace: "default" }
  const written = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...metadata, annotations: { "openstack.org/kuryr-lbaas-state": text } },
  }
  if (text !== undefined) await running.apply(written as Endpoints)
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, annotations },
    spec: { clusterIP: "10.96.0.7", ...spec },
    status,
  }
  return (await trafficOf(running.client, service as Service, { controllers })).join("\n")
}

test("a Service that kuryr's handlers serve is behind their load balancer, and nothing goes straight to endpoints", async () => {
  const status = { loadBalancer: { ingress: [{ ip: "172.24.4.2" }] } }
  const text = await asked({ annotations: specified, state: made, spec: { type: "LoadBalancer" }, status })
  expect(text).toContain(
    "it is behind the OpenStack load balancer balancer-1 at 10.96.0.7, and at 172.24.4.2 from outside, which sends to its endpoints",
  )
  // Whose cloud it is cannot be seen from here: it may be one of `up --openstack` that runs beside it.
  expect(text).toContain("`openstack loadbalancer status show balancer-1` shows its state (a cloud of `up --openstack` keeps only records")
  expect(text).not.toMatch(/straight|kube-proxy|reached from here/)
})

test("where the handlers run beside the API server it is the cloud of `up --openstack`, which carries nothing", async () => {
  const text = await asked({ annotations: specified, state: made, controllers: ["deployment-controller", ...handlers] })
  expect(text).toContain("balancer-1 at 10.96.0.7, which sends to its endpoints")
  expect(text).toContain("the cloud of `up --openstack` keeps only the records of it: it carries no traffic, and nothing answers")
  expect(text).not.toMatch(/straight|kube-proxy|reached from here|loadbalancer status show/)
})

test.each<[name: string, asks: Asked, says: string]>([
  ["not made yet", { annotations: specified }, "its OpenStack load balancer is not made yet"],
  ["not even specified yet", { controllers: handlers }, "its OpenStack load balancer is not made yet"],
  ["gone again", { annotations: specified, state: state(null) }, "its OpenStack load balancer is not made yet"],
  ["written on the Service", { annotations: { ...specified, "openstack.org/kuryr-lbaas-state": made } }, "load balancer balancer-1 at"],
  [
    "edited by hand",
    { annotations: specified, state: "{" },
    "the annotation openstack.org/kuryr-lbaas-state that says which cannot be read",
  ],
  ["headless", { annotations: specified, spec: { clusterIP: "None" } }, "it is headless: it has no load balancer"],
  [
    "of a cloud controller",
    {
      annotations: {
        "loadbalancer.openstack.org/load-balancer-id": "balancer-2",
        "loadbalancer.openstack.org/load-balancer-address": "10.0.0.9",
      },
    },
    "it is behind the OpenStack load balancer balancer-2 at 10.0.0.9, which sends to the node ports",
  ],
])("a load balancer that is %s", async (_name, asks, says) => {
  const text = await asked(asks)
  expect(text).toContain(says)
  expect(text).not.toMatch(/straight|kube-proxy|reached from here/)
})

test("explain knows an `up --openstack` by the handlers that run in it", async () => {
  const seams = { clock: systemClock, random: seededRandom(7), files: virtualFiles(systemClock), log: silentLog }
  const options = { dataDirectory: "/data", ephemeral: true, port: 0, nodes: 1, openstack: true }
  await using running = await startEmbeddedCluster({ ...seams, ...options })
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-traffic-"))
  try {
    const kubeconfig = join(directory, "kubeconfig")
    writeFileSync(kubeconfig, JSON.stringify(running.kubeconfig))
    await using connection = await openConnection({ kubeconfig })
    const text = () => explain(connection, ["service/kubernetes"])
    await expect
      .poll(text, { timeout: 20_000 })
      .toMatch(/behind the OpenStack load balancer \S+ at 10\.96\.0\.1, .*\n.*keeps only the records of it/)
  } finally {
    rmSync(directory, { recursive: true })
  }
}, 30_000)
