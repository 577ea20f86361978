import { type FieldError, fieldError } from "@pilothouse/api"
import type { Volume } from "@pilothouse/api/core/v1"
import { projectedVolumeErrors } from "./projected-volume.ts"

/** Validates the required fields of each kind of volume. */
export function volumeSourceErrors(volume: Volume, field: string): readonly FieldError[] {
  return [
    ...required(volume.configMap, volume.configMap?.name, `${field}.configMap.name`),
    ...required(volume.secret, volume.secret?.secretName, `${field}.secret.secretName`),
    ...required(volume.persistentVolumeClaim, volume.persistentVolumeClaim?.claimName, `${field}.persistentVolumeClaim.claimName`),
    ...required(volume.hostPath, volume.hostPath?.path, `${field}.hostPath.path`),
    ...required(volume.nfs, volume.nfs?.server, `${field}.nfs.server`),
    ...required(volume.nfs, volume.nfs?.path, `${field}.nfs.path`),
    ...(volume.projected ? projectedVolumeErrors(volume.projected, `${field}.projected`) : []),
    ...required(volume.csi, volume.csi?.driver, `${field}.csi.driver`),
  ]
}

function required(source: unknown, value: string | undefined, field: string): readonly FieldError[] {
  return source === undefined || (value ?? "") !== "" ? [] : [fieldError.required(field)]
}
