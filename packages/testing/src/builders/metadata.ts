import type { KubeObject, ObjectMeta } from "@pilothouse/api"

/** What most builders accept beside the fields of their kind. `metadata` has the last word. */
export interface MetadataOptions {
  /** "default" unless given; ignored for kinds that have no namespace. */
  readonly namespace?: string
  readonly labels?: ObjectMeta["labels"]
  readonly annotations?: ObjectMeta["annotations"]
  readonly finalizers?: ObjectMeta["finalizers"]
  /** The object that controls it: becomes its controller owner reference. */
  readonly controlledBy?: KubeObject
  readonly metadata?: Partial<ObjectMeta>
}

/** Metadata of a namespaced object. Fields that are not given are absent, as in a manifest. */
export function namespacedMetadata(name: string, { namespace = "default", ...rest }: MetadataOptions): ObjectMeta {
  return { name, namespace, ...commonMetadata(rest) }
}

/** Metadata of an object of a kind without namespaces. */
export function clusterMetadata(name: string, { namespace: _ignored, ...rest }: MetadataOptions): ObjectMeta {
  return { name, ...commonMetadata(rest) }
}

function commonMetadata({ labels, annotations, finalizers, controlledBy, metadata }: MetadataOptions): Partial<ObjectMeta> {
  return {
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(controlledBy && { ownerReferences: [controllerReference(controlledBy)] }),
    ...metadata,
  }
}

function controllerReference({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubeObject) {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}
