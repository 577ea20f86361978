import { itemsIn, statusIn } from "../../kcm/until.ts"
import type { Teller } from "./teller.ts"

/** Services with and without selectors, one with an address of the cloud, and a range of addresses that comes and goes. */
export async function network(told: Teller): Promise<void> {
  const ports = [{ port: 80 }]
  await told.create(
    told.path("v1/services"),
    { metadata: { name: "web" }, spec: { type: "LoadBalancer", selector: { app: "web" }, ports } },
    { metadata: { name: "by-hand" }, spec: { ports } },
  )
  await told.until("a Service gets an address", told.path("v1/services/web"), (answer) => JSON.stringify(statusIn(answer)).includes('"ip"'))
  await told.create(told.path("v1/endpoints"), { metadata: { name: "by-hand" }, subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports }] })
  await told.until("Endpoints are mirrored", told.path("discovery.k8s.io/v1/endpointslices"), (answer) => slicesOf(answer, "by-hand") > 0)
  await told.patch(told.path("v1/endpoints/by-hand"), { subsets: [{ addresses: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }], ports }] })
  await told.patch(told.path("apps/v1/deployments/web"), { spec: { replicas: 4 } })
  await told.until("its slices follow", told.path("v1/endpoints/web"), (answer) => JSON.stringify(answer.value).split('"ip"').length === 5)
  await told.remove(told.path("v1/services/web"))
  await told.until("a Service with an address goes", told.path("v1/services/web"), ({ status }) => status === 404)
  await ranges(told)
}

function slicesOf(answer: Parameters<typeof itemsIn>[0], service: string): number {
  return itemsIn(answer).filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service).length
}

async function ranges(told: Teller): Promise<void> {
  const path = told.cluster("networking.k8s.io/v1/servicecidrs")
  const name = `${told.namespace}-range`
  await told.create(path, { metadata: { name }, spec: { cidrs: ["10.200.0.0/24"] } })
  await told.until("a range is ready", `${path}/${name}`, (answer) => JSON.stringify(statusIn(answer)).includes('"True"'))
  await told.remove(`${path}/${name}`)
  await told.until("a range goes", `${path}/${name}`, ({ status }) => status === 404)
}
