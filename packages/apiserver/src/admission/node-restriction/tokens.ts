import { quoted } from "@pilothouse/api"
import type { BoundObjectReference, TokenRequest } from "@pilothouse/api/authentication/v1"
import { type PersistentVolume, type Pod, persistentVolumeClaims, persistentVolumes, pods, type Volume } from "@pilothouse/api/core/v1"
import { csiDrivers } from "@pilothouse/api/storage/v1"
import { messageOf } from "@pilothouse/seams"
import { aggregate } from "../../authorization/authorizer.ts"
import { type AdmissionAttributes, refusal } from "../plugin.ts"
import { existing } from "./existing-object.ts"

/** A node requests tokens that are bound to one of its own pods, for an audience that the pod names or that a binding allows. */
export async function admitToken(node: string, attributes: AdmissionAttributes): Promise<void> {
  const { spec } = attributes.object as unknown as TokenRequest
  const pod = boundPod(attributes, spec?.boundObjectRef ?? {})
  if (pod.spec?.nodeName !== node) throw refusal(attributes, "node requested token bound to a pod scheduled on a different node")
  const audiences = spec?.audiences ?? []
  if (audiences.length > 1) throw refusal(attributes, "node may only request 0 or 1 audiences")
  await checkAudience(attributes, pod, audiences[0] ?? "")
}

function boundPod(attributes: AdmissionAttributes, { apiVersion, kind, name = "", uid = "" }: BoundObjectReference): Pod {
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") throw refusal(attributes, "node requested token not bound to a pod")
  if (uid === "") throw refusal(attributes, "node requested token with a pod binding without a uid")
  const pod = existing(attributes, pods, attributes.namespace, name)
  if (uid === pod.metadata.uid) return pod
  const recreated = "The object might have been deleted and then recreated"
  throw refusal(attributes, `the UID in the bound object reference (${uid}) does not match the UID in record. ${recreated}`)
}

async function checkAudience(attributes: AdmissionAttributes, pod: Pod, audience: string): Promise<void> {
  const { errors, found } = namesAudience(attributes, pod, audience)
  if (found) return
  if (errors.length > 0) throw refusal(attributes, `error validating audience ${quoted(audience)}: ${aggregate(errors)}`)
  const { server, identity, namespace = "", name } = attributes
  const verb = "request-serviceaccounts-token-audience"
  const what = { verb, group: "", version: "v1", resource: audience, subresource: "", namespace, name }
  if ((await server.authorizer.authorize(identity, what)).allowed) return
  const text = `audience ${quoted(audience)} not found in pod spec volume`
  throw refusal(attributes, `${text}, ${identity.name} is not authorized to request tokens for this audience`)
}

interface Search {
  readonly found: boolean
  /** Of claims, volumes and drivers that could not be read. */
  readonly errors: readonly string[]
}

/** Projected tokens name their audience, and so do the drivers of CSI volumes, directly or by claim and volume. */
function namesAudience(attributes: AdmissionAttributes, pod: Pod, audience: string): Search {
  const errors: string[] = []
  for (const volume of pod.spec?.volumes ?? []) {
    const sources = volume.projected?.sources ?? []
    if (sources.some(({ serviceAccountToken: token }) => token !== undefined && (token.audience ?? "") === audience)) {
      return { found: true, errors }
    }
    try {
      const driver = driverOf(attributes, pod, volume)
      if (driver !== undefined && driverNames(attributes, driver, audience)) return { found: true, errors }
    } catch (error) {
      errors.push(messageOf(error))
    }
  }
  return { found: false, errors }
}

function driverNames(attributes: AdmissionAttributes, driver: string, audience: string): boolean {
  const { spec } = existing(attributes, csiDrivers, undefined, driver)
  return (spec?.tokenRequests ?? []).some((request) => request.audience === audience)
}

function driverOf(attributes: AdmissionAttributes, pod: Pod, volume: Volume): string | undefined {
  const { ephemeral, persistentVolumeClaim, csi } = volume
  if (ephemeral?.volumeClaimTemplate !== undefined) return driverOfClaim(attributes, `${pod.metadata.name}-${volume.name}`)
  if (persistentVolumeClaim !== undefined) return driverOfClaim(attributes, persistentVolumeClaim.claimName)
  return csi === undefined ? migratedDriver(volume) : csi.driver
}

function driverOfClaim(attributes: AdmissionAttributes, name: string): string | undefined {
  const claim = existing(attributes, persistentVolumeClaims, attributes.namespace, name)
  const { spec } = existing(attributes, persistentVolumes, undefined, claim.spec?.volumeName ?? "")
  return spec?.csi === undefined ? migratedDriver(spec) : spec.csi.driver
}

/** Volumes of these sources are mounted by a CSI driver. */
const migrated: Readonly<Record<string, string>> = {
  awsElasticBlockStore: "ebs.csi.aws.com",
  azureDisk: "disk.csi.azure.com",
  azureFile: "file.csi.azure.com",
  cinder: "cinder.csi.openstack.org",
  gcePersistentDisk: "pd.csi.storage.gke.io",
  portworxVolume: "pxd.portworx.com",
  vsphereVolume: "csi.vsphere.vmware.com",
}

function migratedDriver(sources: Volume | PersistentVolume["spec"] = {}): string | undefined {
  const source = Object.keys(sources).find((name) => Object.hasOwn(migrated, name))
  return source === undefined ? undefined : migrated[source]
}
