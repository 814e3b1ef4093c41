import './dashboard.css';
import './frame/dashboard-app.ts';
