import type { ClusterTrustBundle } from "@pilothouse/api/certificates/v1beta1"
import { itemsIn, statusIn } from "../../kcm/until.ts"
import type { Teller } from "./teller.ts"

/** Kinds that a server serves only with --runtime-config: a trust bundle that is edited and deleted, and objects that are stored again. */
export async function offByDefault(told: Teller): Promise<void> {
  await trustBundle(told)
  await migration(told)
  await podGroup(told)
  await poolStatus(told)
  await storageVersion(told)
}

async function trustBundle(told: Teller): Promise<void> {
  const path = told.cluster("certificates.k8s.io/v1beta1/clustertrustbundles")
  const isPublished = (value: unknown) => JSON.stringify(value).includes("kubernetes.io/kube-apiserver-serving")
  await told.until("the authority is published as a trust bundle", path, ({ value }) => isPublished(value))
  const [bundle] = itemsIn(await told.read(path)) as unknown as readonly ClusterTrustBundle[]
  if (bundle === undefined) throw new Error(`expected a bundle at ${path}, found none`)
  const { metadata, spec } = bundle
  const name = metadata.name ?? ""
  await told.patch(`${path}/${name}`, { spec: { trustBundle: `# edited\n${spec.trustBundle}` } })
  const isRestored = (value: unknown) => isPublished(value) && !JSON.stringify(value).includes("edited")
  await told.until("the trust bundle is restored", `${path}/${name}`, ({ value }) => isRestored(value))
  await told.remove(`${path}/${name}`)
  await told.until("the trust bundle is recreated", `${path}/${name}`, ({ value }) => isPublished(value))
}

async function migration(told: Teller): Promise<void> {
  const path = told.cluster("storagemigration.k8s.io/v1beta1/storageversionmigrations")
  const name = `${told.namespace}-leases`
  await told.create(path, { metadata: { name }, spec: { resource: { group: "coordination.k8s.io", resource: "leases" } } })
  await told.until("a migration ends", `${path}/${name}`, (answer) => JSON.stringify(statusIn(answer)).includes('"Succeeded"'))
}

async function podGroup(told: Teller): Promise<void> {
  const path = told.path("scheduling.k8s.io/v1alpha2/podgroups")
  await told.create(path, { metadata: { name: "group" }, spec: { schedulingPolicy: { gang: { minCount: 1 } } } })
  await told.remove(`${path}/group`)
  await told.until("a PodGroup without pods goes", `${path}/group`, ({ status }) => status === 404)
}

async function poolStatus(told: Teller): Promise<void> {
  const path = told.cluster("resource.k8s.io/v1alpha3/resourcepoolstatusrequests")
  const name = `${told.namespace}-pools`
  await told.create(path, { metadata: { name }, spec: { driver: "none.example.com" } })
  await told.until("a request for pools is answered", `${path}/${name}`, (answer) =>
    JSON.stringify(statusIn(answer)).includes('"Complete"'),
  )
}

async function storageVersion(told: Teller): Promise<void> {
  const path = told.cluster("internal.apiserver.k8s.io/v1alpha1/storageversions")
  const lease = told.cluster("coordination.k8s.io/v1/namespaces/kube-system/leases")
  const server = `${told.namespace}-apiserver`
  const name = `${told.namespace}.example.com.things`
  const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" }
  const renewed = { holderIdentity: server, leaseDurationSeconds: 3600, renewTime: "2100-01-01T00:00:00.000000Z" }
  await told.create(lease, { metadata: { name: server, labels }, spec: renewed })
  await told.create(path, { metadata: { name }, spec: {} })
  const version = (apiServerID: string) => ({ apiServerID, encodingVersion: "v1", decodableVersions: ["v1"] })
  const storageVersions = [version(server), version(`${server}-gone`)]
  await told.status(`${path}/${name}`, { storageVersions, commonEncodingVersion: "v1" })
  const isLeft = (value: unknown) => JSON.stringify(value).includes(server) && !JSON.stringify(value).includes("-gone")
  await told.until("an API server that is gone leaves its StorageVersion", `${path}/${name}`, ({ value }) => isLeft(value))
  await told.remove(`${lease}/${server}`)
  await told.until("a StorageVersion goes with its last API server", `${path}/${name}`, ({ status }) => status === 404)
}
