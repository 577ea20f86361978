import { type HttpsServer, type ServeOptions, serveHttps } from "@pilothouse/apiserver"
import { PilothouseError } from "@pilothouse/seams"

/** The port of the API server of `up` where it is free. */
export const defaultPort = 6443
const portsToTry = 100

/** Serves on the asked port; when none was asked for, on the usual one or the next that is free. */
export async function listen(options: Omit<ServeOptions, "port">, asked: number | undefined): Promise<HttpsServer> {
  if (asked !== undefined) return serveHttps({ ...options, port: asked })
  for (let port = defaultPort; ; port++) {
    try {
      return await serveHttps({ ...options, port })
    } catch (error) {
      const taken = error instanceof PilothouseError && error.code === "PORT_TAKEN"
      if (!taken || port >= defaultPort + portsToTry) throw error
    }
  }
}
