// What a direct connection needs of undici. Its index loads all that it has, fetch, WebSocket, mocks and caches: 16 MB and 128 ms of CPU in place of
// 4 MB and 45 ms. The version is pinned, since these files are no promise of its authors.
export { default as request } from "undici/lib/api/api-request.js"
export { default as buildConnector } from "undici/lib/core/connect.js"
export { default as Pool } from "undici/lib/dispatcher/pool.js"
