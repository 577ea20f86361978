import type { Container, Pod, Volume } from "../generated/core/v1.types.ts"

interface Named {
  readonly name?: string
}

/** The names of all Secrets that a pod uses: pulled with, read into the environment, or mounted. */
export function podSecrets({ spec }: Pick<Pod, "spec">): readonly string[] {
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...((spec?.ephemeralContainers ?? []) as readonly Container[]),
  ]
  const all: readonly (Named | undefined)[] = [
    ...(spec?.imagePullSecrets ?? []),
    ...containers.flatMap(secretsInEnvironment),
    ...(spec?.volumes ?? []).flatMap(secretsInVolume),
  ]
  return [...new Set(all.flatMap((one) => one?.name || []))]
}

function secretsInEnvironment({ env, envFrom }: Container): readonly (Named | undefined)[] {
  return [...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef), ...(envFrom ?? []).map(({ secretRef }) => secretRef)]
}

function secretsInVolume(volume: Volume): readonly (Named | undefined)[] {
  const { secret, projected, azureFile, csi, ...others } = volume
  return [
    secret && { name: secret.secretName },
    ...(projected?.sources ?? []).map((source) => source.secret),
    azureFile && { name: azureFile.secretName },
    csi?.nodePublishSecretRef,
    // Ceph, Cinder, Flex, iSCSI, RBD, ScaleIO and StorageOS all call it the same.
    ...Object.values(others).map((source) => (source as { readonly secretRef?: Named } | undefined)?.secretRef),
  ]
}
