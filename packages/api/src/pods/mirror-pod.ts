import type { ObjectMeta } from "../meta/meta.ts"

/** Set by a kubelet on the pods that it runs by itself, from a file for example. */
export const mirrorPodAnnotation = "kubernetes.io/config.mirror"

/** Reports whether a pod only shows what a kubelet runs by itself. */
export function isMirrorPod({ metadata }: { readonly metadata: Pick<ObjectMeta, "annotations"> }): boolean {
  return metadata.annotations?.[mirrorPodAnnotation] !== undefined
}
