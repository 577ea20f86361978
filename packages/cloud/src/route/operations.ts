import { type CustomOperation, type Executor, executor } from "@pilothouse/runtime"
import type { CloudCalls } from "../provider/cloud-calls.ts"
import type { Route, Routes } from "../provider/provider.ts"

/** Creates a route to a range of a node's pods. */
export interface CreateRoute extends CustomOperation {
  readonly do: "create-route"
  readonly route: Omit<Route, "name">
  /** May become part of the route's name. */
  readonly hint: string
}

/** Deletes a route that no node needs. */
export interface DeleteRoute extends CustomOperation {
  readonly do: "delete-route"
  readonly route: Route
}

/** Executes route operations within the limits of `calls`. */
export function routeExecutors(routes: Routes, calls: CloudCalls): readonly Executor[] {
  return [
    executor<CreateRoute>("create-route", async ({ route, hint }, outer) => {
      await calls.run("create a route", (signal) => routes.create(route, hint, signal), outer)
      return true
    }),
    executor<DeleteRoute>("delete-route", ({ route }, outer) =>
      calls.run("delete a route", (signal) => routes.delete(route, signal), outer),
    ),
  ]
}
