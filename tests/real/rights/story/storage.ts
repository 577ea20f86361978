import { itemsIn, statusIn } from "../../kcm/until.ts"
import { containers, type Teller } from "./teller.ts"

const resources = { requests: { storage: "1Gi" } }
const accessModes = ["ReadWriteOnce"]

/** A volume that is there and a claim that waits for its provisioner, a claim of a pod's own, one that grows, classes of attributes, and an attachment. */
export async function storage(told: Teller): Promise<void> {
  const disk = `${told.namespace}-disk`
  await classes(told, disk)
  await attributes(told)
  await told.create(told.cluster("v1/persistentvolumes"), { metadata: { name: disk }, spec: volume(disk) })
  await told.create(
    told.path("v1/persistentvolumeclaims"),
    { metadata: { name: "disk" }, spec: { accessModes, resources, storageClassName: disk } },
    { metadata: { name: "made" }, spec: { accessModes, resources, storageClassName: `${told.namespace}-made` } },
  )
  await told.until("a claim is bound", told.path("v1/persistentvolumeclaims/disk"), (answer) => statusIn(answer).phase === "Bound")
  await told.until("a claim is given to its provisioner", told.path("v1/persistentvolumeclaims/made"), ({ value }) =>
    JSON.stringify(value).includes("storage-provisioner"),
  )
  await mounted(told)
  await told.patch(told.path("v1/persistentvolumeclaims/disk"), { spec: { resources: { requests: { storage: "2Gi" } } } })
  await told.remove(told.path("v1/persistentvolumeclaims/made"))
  await told.until("a claim goes", told.path("v1/persistentvolumeclaims/made"), ({ status }) => status === 404)
}

function volume(disk: string): object {
  const csi = { driver: "disk.example.com", volumeHandle: disk }
  return { accessModes, capacity: { storage: "1Gi" }, storageClassName: disk, persistentVolumeReclaimPolicy: "Retain", csi }
}

async function classes(told: Teller, disk: string): Promise<void> {
  await told.create(
    told.cluster("storage.k8s.io/v1/storageclasses"),
    { metadata: { name: disk }, provisioner: "disk.example.com", allowVolumeExpansion: true },
    { metadata: { name: `${told.namespace}-made` }, provisioner: "made.example.com" },
  )
}

async function attributes(told: Teller): Promise<void> {
  const path = told.cluster("storage.k8s.io/v1/volumeattributesclasses")
  const name = `${told.namespace}-fast`
  await told.create(path, { metadata: { name }, driverName: "disk.example.com", parameters: { iops: "1" } })
  await told.until("a class of attributes is protected", `${path}/${name}`, (answer) => JSON.stringify(answer.value).includes("finalizers"))
  await told.remove(`${path}/${name}`)
  await told.until("a class of attributes goes", `${path}/${name}`, ({ status }) => status === 404)
}

async function mounted(told: Teller): Promise<void> {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" }
  for (const node of ["node-1", "node-2", "node-3"]) await told.patch(told.cluster(`v1/nodes/${node}`), { metadata: { annotations } })
  const spec = { accessModes, resources, storageClassName: `${told.namespace}-made` }
  const own = [{ name: "own", ephemeral: { volumeClaimTemplate: { spec } } }]
  const disk = [{ name: "disk", persistentVolumeClaim: { claimName: "disk" } }]
  const pod = (name: string, volumes: readonly object[]) => ({ metadata: { name }, spec: { containers, volumes } })
  await told.create(told.path("v1/pods"), pod("mounts", disk), pod("owns", own))
  await told.until("a pod gets a claim of its own", told.path("v1/persistentvolumeclaims/owns-own"), ({ status }) => status === 200)
  const attachments = told.cluster("storage.k8s.io/v1/volumeattachments")
  await told.until("a volume is attached for a pod", attachments, (answer) => itemsIn(answer).length > 0)
  await told.remove(told.path("v1/pods/mounts"))
}
