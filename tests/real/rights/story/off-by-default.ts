import type { ClusterTrustBundle } from "@pilothouse/api/certificates/v1beta1"
import { itemsIn, statusIn } from "../../kcm/until.ts"
import type { Teller } from "./teller.ts"

/** Kinds that a server serves only with --runtime-config: a trust bundle that is edited and deleted, and objects that are stored again. */
export async function offByDefault(told: Teller): Promise<void> {
  await trustBundle(told)
  await migration(told)
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
  await told.until("the trust bundle is made again", `${path}/${name}`, ({ value }) => isPublished(value))
}

async function migration(told: Teller): Promise<void> {
  const path = told.cluster("storagemigration.k8s.io/v1beta1/storageversionmigrations")
  const name = `${told.namespace}-leases`
  await told.create(path, { metadata: { name }, spec: { resource: { group: "coordination.k8s.io", resource: "leases" } } })
  await told.until("a migration ends", `${path}/${name}`, (answer) => JSON.stringify(statusIn(answer)).includes('"Succeeded"'))
}
