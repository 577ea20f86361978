import { apiVersionOf, type Descriptor } from "@pilothouse/api"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type PartialProtobuf, partialProtobuf } from "@pilothouse/api/protobuf"

const metadata = ["name", "namespace", "uid", "resourceVersion", "labels", "annotations", "ownerReferences", "deletionTimestamp"].map(
  (field) => `metadata.${field}`,
)
const container = ["name", "ports", "readinessProbe", "livenessProbe", "restartPolicy"]

/**
 * What is read of the kinds that come in thousands: as much as stripped.ts keeps, and the annotations that the bookmark after the first state has.
 * The rest of an object is passed over in its bytes, and never becomes objects and texts: most of a pod is who wrote which field.
 */
export const podFields: readonly string[] = [
  ...metadata,
  "spec.nodeName",
  "spec.serviceAccountName",
  "spec.hostNetwork",
  ...container.flatMap((field) => [`spec.containers.${field}`, `spec.initContainers.${field}`]),
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.conditions.type",
  "status.conditions.status",
]

const nodeFields: readonly string[] = [...metadata, "status.addresses"]

const sliceFields: readonly string[] = [
  ...metadata,
  "addressType",
  "ports",
  "endpoints.addresses",
  "endpoints.conditions",
  "endpoints.nodeName",
  "endpoints.targetRef.kind",
  "endpoints.targetRef.namespace",
  "endpoints.targetRef.name",
]

/** The fields of pods that are decoded. */
export const podForm = () => formOf(pods, podFields)
/** The fields of nodes that are decoded. */
export const nodeForm = () => formOf(nodes, nodeFields)
/** The fields of EndpointSlices that are decoded. */
export const sliceForm = () => formOf(endpointSlices, sliceFields)

function formOf(of: Descriptor, fields: readonly string[]): PartialProtobuf | undefined {
  return partialProtobuf({ apiVersion: apiVersionOf(of), kind: of.kind }, fields)
}
