import type { FieldDeclaration, ObjectDeclaration } from "../../environment/environment.ts"
import { boolType, dynType, intType, listType, mapType, objectType, stringType, type Type, timestampType } from "../../types/types.ts"

function declare(name: string, fields: Readonly<Record<string, Type>>): ObjectDeclaration {
  const declared = Object.entries(fields).map(([field, type]) => [field, { type }] as readonly [string, FieldDeclaration])
  return { name, fields: new Map(declared) }
}

const texts = listType(stringType)

/** The types of `request` and `namespaceObject`. Values are JSON: a time stays a text there, as upstream has it. */
export const admissionTypes: readonly ObjectDeclaration[] = [
  declare("kubernetes.GroupVersionKind", { group: stringType, version: stringType, kind: stringType }),
  declare("kubernetes.GroupVersionResource", { group: stringType, version: stringType, resource: stringType }),
  declare("kubernetes.UserInfo", { username: stringType, uid: stringType, groups: texts, extra: mapType(stringType, texts) }),
  declare("kubernetes.AdmissionRequest", {
    kind: objectType("kubernetes.GroupVersionKind"),
    resource: objectType("kubernetes.GroupVersionResource"),
    subResource: stringType,
    requestKind: objectType("kubernetes.GroupVersionKind"),
    requestResource: objectType("kubernetes.GroupVersionResource"),
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: objectType("kubernetes.UserInfo"),
    dryRun: boolType,
    options: dynType,
  }),
  declare("kubernetes.NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType, stringType),
    annotations: mapType(stringType, stringType),
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  declare("kubernetes.NamespaceSpec", { finalizers: texts }),
  declare("kubernetes.NamespaceCondition", {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
  declare("kubernetes.NamespaceStatus", { conditions: listType(objectType("kubernetes.NamespaceCondition")), phase: stringType }),
  declare("kubernetes.Namespace", {
    metadata: objectType("kubernetes.NamespaceMetadata"),
    spec: objectType("kubernetes.NamespaceSpec"),
    status: objectType("kubernetes.NamespaceStatus"),
  }),
]

export const requestType = objectType("kubernetes.AdmissionRequest")
export const namespaceType = objectType("kubernetes.Namespace")
