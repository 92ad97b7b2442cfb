// What only the browser tests need. Dependencies in deno.json are downloaded by every task, so these
// are named here.

export { default as axe } from "npm:axe-core@4.14.0";
export { type Browser, default as puppeteer, type Page } from "npm:puppeteer-core@25.16.0";
