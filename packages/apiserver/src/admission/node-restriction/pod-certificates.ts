import { type Descriptor, isMirrorPod, type KubeObject, quoted, StatusError } from "@pilothouse/api"
import type { PodCertificateRequest, PodCertificateRequestSpec } from "@pilothouse/api/certificates/v1beta1"
import { nodes, type Pod, pods, serviceAccounts } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { type AdmissionAttributes, refusal } from "../plugin.ts"
import { existing } from "./existing-object.ts"

/** A node requests certificates for pods that run on it, as the service account of the pod. */
export function admitPodCertificateRequest(node: string, attributes: AdmissionAttributes): void {
  const { operation, subresource, object } = attributes
  if (operation !== "CREATE") throw refusal(attributes, `unexpected operation ${operation}`)
  if (subresource !== "") throw refusal(attributes, `unexpected subresource ${subresource}`)
  const { spec } = object as unknown as PodCertificateRequest
  checkNode(node, attributes, spec)
  const pod = checkPod(attributes, spec)
  checkAccount(attributes, spec, pod)
}

function checkNode(node: string, attributes: AdmissionAttributes, { nodeName, nodeUID, podName }: PodCertificateRequestSpec): void {
  if (nodeName !== node) {
    throw refusal(attributes, `PodCertificateRequest.Spec.NodeName=${quoted(nodeName)}, which is not the requesting node ${quoted(node)}`)
  }
  const { uid = "" } = named(attributes, nodes, "node", { name: nodeName }).metadata
  if (uid === nodeUID) return
  const text = `names node UID ${quoted(nodeUID)}, inconsistent with the running node (${quoted(uid)})`
  throw unready(`PodCertificateRequest for pod ${podText(attributes, podName)} ${text}`)
}

function checkPod(attributes: AdmissionAttributes, { nodeName, podName, podUID }: PodCertificateRequestSpec): Pod {
  const { namespace = "" } = attributes
  const shown = podText(attributes, podName)
  const pod = named(attributes, pods, "pod", { namespace, name: podName })
  const { uid = "" } = pod.metadata
  if (uid !== podUID) {
    throw unready(
      `PodCertificateRequest for pod ${shown} contains pod UID (${quoted(podUID)}) which differs from running pod ${quoted(uid)}`,
    )
  }
  if (pod.spec?.nodeName !== nodeName) {
    throw refusal(attributes, `pod ${shown} is not running on node ${quoted(nodeName)} named in the PodCertificateRequest`)
  }
  if (isMirrorPod(pod)) throw refusal(attributes, `pod ${shown} is a mirror pod`)
  return pod
}

function checkAccount(attributes: AdmissionAttributes, spec: PodCertificateRequestSpec, pod: Pod): void {
  const { podName, serviceAccountName: name, serviceAccountUID: wanted } = spec
  const request = `PodCertificateRequest for pod ${podText(attributes, podName)}`
  const own = pod.spec?.serviceAccountName ?? ""
  if (name !== own) {
    const text = `contains serviceAccountName (${quoted(name)}) that differs from running pod (${quoted(own)})`
    throw refusal(attributes, `${request} ${text}`)
  }
  const { namespace = "" } = attributes
  const { uid = "" } = named(attributes, serviceAccounts, "service account", { namespace, name }).metadata
  if (uid === wanted) return
  const text = `names service account UID ${quoted(wanted)}, which differs from the running service account (${quoted(uid)})`
  throw unready(`${request} ${text}`)
}

function podText({ namespace = "" }: AdmissionAttributes, name: string): string {
  return quoted(`${namespace}/${name}`)
}

interface Place {
  readonly namespace?: string
  readonly name: string
}

function named<T extends KubeObject>(
  attributes: AdmissionAttributes,
  descriptor: Descriptor<T>,
  what: string,
  { namespace, name }: Place,
): T {
  try {
    return existing(attributes, descriptor, namespace, name)
  } catch (error) {
    const shown = namespace === undefined ? name : `${namespace}/${name}`
    throw unready(`while retrieving ${what} ${quoted(shown)} named in the PodCertificateRequest: ${messageOf(error)}`)
  }
}

/** What a node may have seen before this server has: a failure, not a refusal, so that it tries again. */
function unready(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 500, message })
}
