// Imported when a refused request is explained. A dynamic import of the package itself would keep all of the API server in the bundle of every command.
export { reportRight } from "@pilothouse/apiserver"
