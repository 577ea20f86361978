import { constants, gzip } from "node:zlib"

/** Below this a body goes out faster than it can be made smaller; as upstream. */
const threshold = 128 * 1024

export function isWorthCompressing(bytes: Uint8Array, acceptEncoding: string | undefined): boolean {
  return bytes.length > threshold && (acceptEncoding ?? "").split(",").some((one) => one.trim().split(";")[0] === "gzip")
}

/** Off the main thread, and as quick as can be: JSON is a tenth of its size even so. */
export function compressed(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: constants.Z_BEST_SPEED }, (error, result) => (error ? reject(error) : resolve(result)))
  })
}
