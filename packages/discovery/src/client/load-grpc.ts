import type * as Grpc from "@grpc/grpc-js"
import { PilothouseError } from "@pilothouse/seams"

/** Loads the optional peer dependency that only a client of the xDS server needs: a server runs without it, and without the memory that it takes. */
export async function loadGrpc(load: () => Promise<typeof Grpc> = () => import("@grpc/grpc-js")): Promise<typeof Grpc> {
  try {
    return await load()
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    throw new PilothouseError(
      "USAGE",
      "expected the package @grpc/grpc-js, found none; install it beside Pilothouse: npm install @grpc/grpc-js",
      { cause },
    )
  }
}

/** Another module that is absent is a damaged installation, which this would not mend. */
function isNotFound(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ERR_MODULE_NOT_FOUND") return false
  return thrown.message.includes("@grpc/grpc-js") // prose: Node's error has no field with the name of the package
}
