/** Style sheets that a page's script pulls in; the bundler makes files of their own of them. */
declare module '*.css';
