import type { ObjectMeta, OwnerReference } from "../meta/meta.ts"
import { apiVersionOf, type Descriptor } from "../schema/descriptor.ts"

interface Owned {
  readonly metadata: Pick<ObjectMeta, "ownerReferences">
}

interface Owner {
  readonly metadata: Pick<ObjectMeta, "name" | "uid">
}

/** Returns the one owner that manages the object: upstream's GetControllerOf. An object has any number of owners and at most one controller. */
export function controllerOf(object: Owned): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)
}

/** Compares by uid, as upstream's IsControlledBy: an owner that was deleted and created again under the same name is another one. */
export function isControlledBy(object: Owned, owner: Owner): boolean {
  const controller = controllerOf(object)
  return controller !== undefined && controller.uid === owner.metadata.uid
}

/** Reports whether the owner is among the owners of the object, by uid. */
export function hasOwner(object: Owned, owner: Owner): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false
}

type Kind = Pick<Descriptor, "group" | "version" | "kind">

/** Returns the reference that a controller writes into the objects it creates, as SetControllerReference does. Deleting the owner in the foreground waits for them. */
export function controllerRef(owner: Owner, kind: Kind): OwnerReference {
  return { ...ownerRef(owner, kind), controller: true, blockOwnerDeletion: true }
}

/** Returns the reference of an object that is deleted with its owner and not managed by it, as SetOwnerReference writes it. */
export function ownerRef(owner: Owner, kind: Kind): OwnerReference {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name: owner.metadata.name ?? "", uid: owner.metadata.uid ?? "" }
}
