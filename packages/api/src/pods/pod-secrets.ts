import type { Container, Pod, Volume } from "../generated/core/v1.types.ts"

interface Named {
  readonly name?: string
}

/** The names of all Secrets that a pod uses: pulled with, read into the environment, or mounted. */
export function podSecrets({ spec }: Pick<Pod, "spec">): readonly string[] {
  return names([
    ...(spec?.imagePullSecrets ?? []),
    ...containersOf(spec).flatMap(secretsInEnvironment),
    ...(spec?.volumes ?? []).flatMap(secretsInVolume),
  ])
}

/** The names of all ConfigMaps that a pod uses: read into the environment, or mounted. */
export function podConfigMaps({ spec }: Pick<Pod, "spec">): readonly string[] {
  return names([
    ...containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef),
      ...envFrom.map(({ configMapRef }) => configMapRef),
    ]),
    ...(spec?.volumes ?? []).flatMap(({ configMap, projected }) => [configMap, ...(projected?.sources ?? []).map((one) => one.configMap)]),
  ])
}

function containersOf(spec: Pod["spec"]): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...((spec?.ephemeralContainers ?? []) as readonly Container[])]
}

function names(all: readonly (Named | undefined)[]): readonly string[] {
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
