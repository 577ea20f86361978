// undici has types for its index only.
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici"
  /** As the method of a dispatcher, which its index makes of it. */
  export default function request(this: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici"
  export default buildConnector
}

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici"
  export default Pool
}
