// Imported when an AuthorizationConfiguration is opened. A dynamic import of the package itself would keep all of it in the bundle of every command.
export { configuredAuthorizers } from "@pilothouse/apiserver"
